package cli

// Help fits a screen and shows examples first: most readers look for a line to
// copy. The flags that every command has stand in the root's help alone.
const (
	helpTemplate = `{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`

	usageTemplate = `{{if .HasExample}}Examples:
{{.Example}}

{{end}}Usage: {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND [flags]{{else}}{{.UseLine}}{{end}}
{{- if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if (and .IsAvailableCommand (ne .Name "help"))}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
{{- if .HasParent}}

{{.Root.Name}} -h shows the flags that every command has: -C DIR, --var, --format, --json, --color, -v.{{end}}
`
)
