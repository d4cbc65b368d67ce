# no pawl block
locals { a = 1 }
# ERROR(nowhere) missing-block "has no pawl block.*pawl \\{ project"
