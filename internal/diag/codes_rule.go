package diag

// Codes of mistakes in rule blocks that package compiler finds.
const (
	// RuleQuery is a query that no trigger could ask.
	RuleQuery Code = "rule-query"
	// RuleOn is a query that looks at something whose writes nobody watches.
	RuleOn Code = "rule-on"
	// RuleWrite is an operation that does not fit its rule.
	RuleWrite Code = "rule-write"
	// RuleCascade is a foreign key whose actions write what a rule looks at.
	RuleCascade Code = "rule-cascade"
	// RuleIndex is a table that a rule reads whole.
	RuleIndex Code = "rule-index"
)

// ruleExample is a project with a rule, up to its block.
const ruleExample = "table \"teams\" {\n  column \"id\" { type = bigint }\n  primary_key { columns = [id] }\n}\n" +
	"table \"shifts\" {\n  column \"id\" { type = bigint }\n  column \"team_id\" { type = bigint }\n  column \"on_call\" { type = boolean }\n" +
	"  primary_key { columns = [id] }\n"

var ruleCodes = []Entry{
	{
		Code:    RuleQuery,
		Summary: "a query that a rule cannot rest on",
		Explain: "The query is asked by triggers at every COMMIT. It gives one boolean, reads tables of the project, and names whatever is not of pg_catalog " +
			"with its schema: the function of a trigger has no other search_path, so that nobody can put an object of his own in between.",
		Example: ruleExample + "  index \"by_team\" { columns = [team_id, on_call] }\n}\nrule \"someone_on_call\" {\n  on    = { shifts = [team_id, on_call] }\n" +
			"  args  = { team_id = bigint }\n  holds = \"SELECT is_covered(count(*)) FROM shifts WHERE team_id = @team_id AND on_call\"\n}\n",
	},
	{
		Code:    RuleOn,
		Summary: "a rule looks at something whose writes nobody watches",
		Explain: "`on` names the writes that can break the rule: every table that the query reads, with every column. Each argument is a column of each of " +
			"them, since a trigger has nothing but a row to tell which group to look at. A write of what is left out would break the rule unseen.",
		Example: ruleExample + "  index \"by_team\" { columns = [team_id, on_call] }\n}\nrule \"someone_on_call\" {\n  on    = { shifts = [team_id] }\n" +
			"  args  = { team_id = bigint }\n  holds = \"SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call\"\n}\n",
	},
	{
		Code:    RuleWrite,
		Summary: "an operation that does not fit its rule",
		Explain: "An operation of a rule is one INSERT, UPDATE or DELETE of a table that the rule looks at. It never decides by ON CONFLICT: PostgreSQL does not " +
			"track rows that were seen by it alone, and two serializable transactions could each rely on what the other one changes.",
		Example: ruleExample + "  index \"by_team\" { columns = [team_id, on_call] }\n}\nrule \"someone_on_call\" {\n  on    = { shifts = [team_id, on_call] }\n" +
			"  args  = { team_id = bigint }\n  holds = \"SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call\"\n" +
			"  operation \"join\" {\n    args = { id = bigint }\n" +
			"    run  = \"INSERT INTO shifts (id, team_id, on_call) VALUES (@id, @team_id, true) ON CONFLICT (id) DO NOTHING\"\n  }\n}\n",
	},
	{
		Code:    RuleCascade,
		Summary: "a foreign key's action writes what a rule looks at",
		Explain: "What the action writes counts as written by whoever deletes or changes the parent, and triggers refuse that at a weaker level than SERIALIZABLE. " +
			"Generated methods take that level; other programs have to know. Where they do, allow it with the reason, beside the rule or the foreign key.",
		Example: ruleExample + "  index \"by_team\" { columns = [team_id, on_call] }\n  foreign_key \"team\" {\n    columns    = [team_id]\n    references = table.teams\n" +
			"    on_delete  = \"cascade\"\n  }\n}\nrule \"someone_on_call\" {\n  on     = { shifts = [team_id, on_call] }\n  args   = { team_id = bigint }\n" +
			"  parent = table.teams\n  holds  = \"SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call\"\n}\n",
	},
	{
		Code:    RuleIndex,
		Summary: "a rule reads a whole table",
		Explain: "PostgreSQL notes what a serializable transaction has read: with an index the part of it that the query went through, without one the table. " +
			"Writers of different groups then meet although they have nothing to do with each other, and get 40001 for it.",
		Example: ruleExample + "}\nrule \"someone_on_call\" {\n  on    = { shifts = [team_id, on_call] }\n  args  = { team_id = bigint }\n" +
			"  holds = \"SELECT count(*) >= 1 FROM shifts WHERE team_id = @team_id AND on_call\"\n}\n",
	},
}
