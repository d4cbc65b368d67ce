locals {
  env = env("HOME", "x") # ERROR function-call "in the default of a variable only"
  gone = file("gone.txt") # ERROR function-call "cannot be read: paths are those from the project's directory"
  out = file("../secret") # ERROR function-call "outside of the project's directory; --allow-outside"
  out2 = file("/etc/passwd") # ERROR function-call "outside of the project's directory"
  out3 = fileset("..", "*") # ERROR function-call "outside of the project's directory"
  dir = file(".") # ERROR function-call "no regular file"
  a = desc("x") # ERROR function-call "in a key list only.*columns = \\[desc"
  b = sql(7) # ERROR wrong-type "SQL text, and it is a number"
  c = join(",", 7) # ERROR function-call "list"
}
table "events" {
  column "at" {
    type    = timestamptz
    default = now() # ERROR unknown-function "no function now.*sql\\(\"now"
  }
}
