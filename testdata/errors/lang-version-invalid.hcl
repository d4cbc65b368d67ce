pawl {
  project          = "seats"
  required_version = "latest" # ERROR invalid-version "\"latest\" is no version constraint.*>= 0.1.0"
}
