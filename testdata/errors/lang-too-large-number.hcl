locals { a = 1e99999999 } # ERROR too-large "more than 4096 digits"
