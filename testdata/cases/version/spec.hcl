# A version that every write raises, and how long each operation waits.
# explain: table.documents.version
# explain: table.documents.adjust.give
# explain: table.documents.transitions.state.publish
pawl {
  project  = "version"
  postgres = 14
}

generate "go" {
  out     = "store"
  package = "store"
}

generate "sql" { out = "schema.sql" }

enum "document_state" { values = ["draft", "published"] }

table "documents" {
  version = version

  column "id" {
    type     = bigint
    identity = "always"
  }
  column "version" {
    type    = integer
    default = 1
  }
  column "title" { type = text }
  column "note" {
    type = text
    null = true
  }
  column "state" {
    type    = enum.document_state
    default = "draft"
  }
  column "copies" {
    type    = integer
    default = 1
  }
  primary_key { columns = [id] }
  check "copies_not_negative" { expr = "copies >= 0" }

  transitions "state" {
    column  = state
    initial = ["draft"]
    final   = ["published"]
    move "publish" {
      from        = ["draft"]
      to          = "published"
      wait        = "200ms"
      transaction = transaction.strict
    }
  }
  adjust "give" {
    args = { n = integer }
    set  = { copies = "copies - @n" }
    wait = "nowait"
  }
  edit "retitle" {
    columns     = [title]
    transaction = transaction.strict
  }
}

transaction "strict" {
  isolation = "serializable"
  retry { attempts = 10 }
}
