pawl {
  project          = "seats"
  required_version = ">= 0.1.0, < 0.1.0" # ERROR tool-version "asks for pawl >= 0.1.0, < 0.1.0, and this is 0.1.0"
}
