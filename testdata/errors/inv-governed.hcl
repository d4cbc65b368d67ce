# Only moves write a state column.
table "seats" {
  column "id" { type = bigint }
  column "status" { type = text }
  column "colour" { type = text }
  primary_key { columns = [id] }
  transitions "status" {
    column  = status
    initial = ["free"]
    move "stay" {
      from = ["free"]
      to   = "free"
      set  = { colour = "'red'" } # ERROR governed-column "Only the moves of transitions \"colour\""
    }
  }
  transitions "colour" {
    column  = colour
    initial = ["red"]
    move "paint" {
      from = ["red"]
      to   = "red"
    }
  }
  edit "change" { columns = [status] } # ERROR governed-column "undo a move"
  adjust "reset" { set = { status = "'free'" } } # ERROR governed-column "This adjust would write a state without looking"
}
