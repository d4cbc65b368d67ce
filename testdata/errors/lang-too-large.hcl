# The parser recurses over brackets: nothing that deep reaches it.
locals { a = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) } # ERROR too-large "nested too deep"
