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
