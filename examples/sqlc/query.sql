-- name: CreateOrder :one
INSERT INTO shop.orders (user_id)
VALUES ($1)
RETURNING id;

-- name: OpenOrders :many
SELECT o.id, u.email, o.status
FROM shop.orders AS o
JOIN shop.users AS u ON u.id = o.user_id
WHERE o.status = 'payment_pending'
ORDER BY o.id;

-- name: StockOf :one
SELECT stock FROM shop.items WHERE id = $1;

-- name: SetStock :exec
UPDATE shop.items SET stock = $2 WHERE id = $1;

-- name: ItemOf :one
SELECT id, sku, stock FROM shop.items WHERE sku = sqlc.arg(sku)::text;

-- name: InsertItem :one
INSERT INTO shop.items (sku, stock)
VALUES (sqlc.arg(sku)::text, COALESCE(sqlc.narg(stock)::integer, 0))
RETURNING id, sku, stock;

-- name: TakeItem :one
UPDATE shop.items
SET stock = stock - sqlc.arg(quantity)::integer
WHERE id = sqlc.arg(id)::bigint
  AND ((stock - sqlc.arg(quantity)::integer) >= 0) IS NOT FALSE
  AND sqlc.arg(quantity)::integer > 0
RETURNING id, sku, stock;

-- name: PageOfItems :many
SELECT id, sku, stock
FROM (
  (SELECT id, sku, stock
  FROM shop.items
  WHERE sqlc.narg(after)::bigint IS NULL
  ORDER BY id LIMIT sqlc.arg(size)::bigint)
  UNION ALL
  (SELECT id, sku, stock
  FROM shop.items
  WHERE id > sqlc.narg(after)::bigint
  ORDER BY id LIMIT sqlc.arg(size)::bigint)
) AS page
ORDER BY id;
