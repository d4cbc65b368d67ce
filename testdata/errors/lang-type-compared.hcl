locals {
  money = numeric(12, 2)
  same  = local.money == numeric(12, 2)
  wrong = local.money == "numeric(12, 2)" # ERROR wrong-type "type is compared with something that is no type.*false for every type"
}
