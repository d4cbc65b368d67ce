package cli

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pawldb/pawl/cmd/pawl/internal/view"
)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of pawl",
		Args:  noArguments,
		RunE: a.run(func(context.Context) error {
			a.view.Version(buildVersion())
			return nil
		}),
	}
}

// release is the version that this tree is, or becomes when it is tagged.
const release = "0.1.0"

// specVersion is what required_version is compared with.
func specVersion() string {
	if v := buildVersion().Version; v != devel {
		return strings.TrimPrefix(v, "v")
	}
	return release
}

// devel marks a program that was built from a checkout.
const devel = release + "-devel"

// buildVersion reads what the go command wrote into this program.
func buildVersion() view.Version {
	v := view.Version{Version: devel, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			v.Commit = setting.Value
		}
	}
	return v
}
