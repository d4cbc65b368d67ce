transaction "default" {
  isolation = "serializable" # ERROR transaction-isolation "claims and singletons among them.*40001.*another name"
  retry {
    base = "2s" # ERROR backoff-order "longer than the longest"
    on   = ["40001", "23505", "4000"] # ERROR retry-code "an answer" ERROR retry-code "no SQLSTATE"
  }
}
transaction "careful" {
  retry { on = ["40001", "08006"] } # ERROR retry-code "could do it twice"
}
