# Each doubles the one before.
locals {
  a = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
  b = "${local.a}${local.a}${local.a}${local.a}${local.a}${local.a}${local.a}${local.a}${local.a}${local.a}"
  c = "${local.b}${local.b}${local.b}${local.b}${local.b}${local.b}${local.b}${local.b}${local.b}${local.b}"
  d = "${local.c}${local.c}${local.c}${local.c}${local.c}${local.c}${local.c}${local.c}${local.c}${local.c}" # ERROR too-large "64 kilobytes"
  e = local.d
}
