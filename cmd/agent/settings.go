package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/app"
	"agent/internal/attach"
	"agent/internal/base/rawjson"
	"agent/internal/base/suggest"
	"agent/internal/command"
	"agent/internal/frontend/cli"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
	"agent/internal/slash"
	"agent/internal/streamjson"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newSettingsCommand(w world) *cobra.Command {
	var o settingsOptions
	var asJSON, schema bool
	cmd := &cobra.Command{
		Use:   "settings [KEY]",
		Short: "List settings with value, source and valid values",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(errors.New("agent settings can't change values. For one run, add --set KEY=VALUE. To save a value, run: agent profile save NAME --set KEY=VALUE"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if schema {
				return printSchema(w, "settings")
			}
			s, err := w.process.Settings(o.sources())
			if err != nil {
				return err
			}
			chosen, show := s.All(), slash.SettingsTable
			if key := strings.Join(args, ""); key != "" {
				one, err := s.Lookup(key)
				if err != nil {
					return err
				}
				chosen = []settings.ResolvedSetting{one}
				show = func(all []settings.ResolvedSetting, profile string) []string {
					return slash.DescribeSetting(all[0], profile)
				}
			}
			if asJSON {
				return rawjson.WriteIndented(w.out, chosen)
			}
			return w.print(show(chosen, s.Profile())...)
		},
		ValidArgsFunction: completeKeys,
	}
	o.register(cmd, w)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of a profile file, for editors")
	return cmd
}

func completeKeys(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var keys []cobra.Completion
	for _, spec := range app.Registry().Specs() {
		keys = append(keys, cobra.CompletionWithDesc(spec.Key, spec.Help))
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

// completeAssignments proposes KEY=, followed by the values if the setting is an enum.
func completeAssignments(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var proposals []cobra.Completion
	for _, spec := range app.Registry().Specs() {
		values := spec.Values()
		if len(values) == 0 {
			values = []string{""}
		}
		for _, value := range values {
			proposals = append(proposals, cobra.CompletionWithDesc(spec.Key+"="+value, spec.Help))
		}
	}
	return proposals, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// repeated is the value of a flag that may occur several times. The type of pflag formats the default of
// each flag as CSV. That costs 4 KB of memory per flag at each start of the program.
type repeated struct{ values *[]string }

// repeatable declares a flag that appends each of its values to p.
func repeatable(f *pflag.FlagSet, p *[]string, name, letter, usage string) {
	f.VarP(repeated{p}, name, letter, usage)
}

// Set implements pflag.Value.
func (r repeated) Set(value string) error {
	*r.values = append(*r.values, value)
	return nil
}

// String implements pflag.Value.
func (r repeated) String() string { return strings.Join(*r.values, ",") }

// Type implements pflag.Value. The completion of cobra searches the result for "Array".
func (repeated) Type() string { return "stringArray" }

// assigning is the value of a flag that sets one setting, like --set.
type assigning struct {
	set *[]string
	key string
}

// Set implements pflag.Value.
func (a assigning) Set(value string) error {
	*a.set = append(*a.set, a.key+"="+value)
	return nil
}

// String implements pflag.Value.
func (assigning) String() string { return "" }

// Type implements pflag.Value.
func (assigning) Type() string { return "string" }

type settingsOptions struct {
	model        string
	provider     string
	baseURL      string
	profile      string
	approvalMode string
	maxTurns     string
	maxCost      string
	set          []string
	// isolated omits the user's profile and the environment, for the demo.
	isolated bool
}

func (o *settingsOptions) register(cmd *cobra.Command, w world) {
	f := cmd.Flags()
	f.StringVarP(&o.model, "model", "m", "", "use the model `MODEL`")
	f.StringVar(&o.provider, "provider", "", "the `NAME` of a provider: "+strings.Join(vendor.Names(), ", "))
	f.StringVar(&o.baseURL, "base-url", "", "the `URL` of an OpenAI-compatible endpoint, or of one with Anthropic's Messages API")
	f.Var(assigning{&o.set, settings.API.Key()}, "api", "the API `FORMAT` of the endpoint: auto, chat, responses or messages")
	f.StringVar(&o.profile, "profile", "", "load the profile `NAME`")
	repeatable(f, &o.set, "set", "", "set `KEY=VALUE` for this run (repeatable)")
	completeFlag(cmd, "profile", completeProfiles(w))
	completeFlag(cmd, "provider", cobra.FixedCompletions(vendor.Names(), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "set", completeAssignments)
}

// configured returns the folders of the program and the settings with the flags applied.
func (w world) configured(o settingsOptions) (app.Folders, *settings.Settings, error) {
	f, err := w.process.Folders()
	if err != nil {
		return f, nil, err
	}
	s, err := w.process.Settings(o.sources())
	return f, s, err
}

// sources returns the sources of a command's settings: --set, and the separate flags, which take
// precedence.
func (o settingsOptions) sources() app.Sources {
	set := slices.Clone(o.set)
	for _, flag := range [][2]string{
		{settings.Model.Key(), o.model},
		{settings.Provider.Key(), o.provider},
		{settings.BaseURL.Key(), o.baseURL},
		{settings.ApprovalMode.Key(), o.approvalMode},
		{settings.MaxTurns.Key(), o.maxTurns},
		{settings.MaxCost.Key(), o.maxCost},
	} {
		if flag[1] != "" {
			set = append(set, flag[0]+"="+flag[1])
		}
	}
	return app.Sources{Profile: o.profile, Set: set, Isolated: o.isolated}
}

// schemas maps names to the schemas of the formats that scripts and editors read.
var schemas = map[string]func() (*jsonschema.Schema, error){
	"client-events": func() (*jsonschema.Schema, error) {
		return streamjson.ClientEventsSchema(streamjson.LineType{Name: "joined", Line: attach.JoinReply{}}, streamjson.LineType{Name: "error", Line: attach.ErrorLine{}})
	},
	"client-input": func() (*jsonschema.Schema, error) {
		return streamjson.ClientInputSchema(streamjson.LineType{Name: "join", Line: attach.JoinRequest{}})
	},
	"events":   streamjson.EventsSchema,
	"input":    streamjson.InputSchema,
	"result":   streamjson.ResultSchema,
	"settings": func() (*jsonschema.Schema, error) { return app.Registry().ProfileSchema() },
}

func newSchema(w world) *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas))
	return &cobra.Command{
		Use:   "schema " + strings.Join(names, "|"),
		Short: "Print the JSON Schema of the input and output of scripts",
		Long: `Prints a JSON Schema (2020-12) of:

  events         a line of --output-format stream-json
  input          a line of --input-format stream-json
  result         the output of --output-format json
  settings       a profile file
  client-events  a line that a running session sends to a client
  client-input   a line that a client sends to a running session`,
		Args:      cli.ExactArgs(1, "one of "+strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			if schemas[args[0]] == nil {
				return usage(fmt.Errorf("unknown schema %q%s", args[0], suggest.Question(args[0], names)))
			}
			return printSchema(w, args[0])
		},
	}
}

func printSchema(w world, name string) error {
	s, err := schemas[name]()
	if err != nil {
		return err
	}
	return rawjson.WriteIndented(w.out, s)
}

// newProfile builds the command agent profile from the slash command /profile.
func newProfile(w world) *cobra.Command {
	var o settingsOptions
	group := &cobra.Command{
		Use:   "profile",
		Short: "Save and manage settings under a name",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] == "load" || args[0] == "use") {
				return usage(errors.New("to load a profile for one run, add --profile NAME. To load it at every start, run: agent profile default NAME"))
			}
			return cli.NoSubcommand(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, sub := range []struct {
		use, short string
		named      bool
	}{
		{"list", "List the profiles", false},
		{"show NAME", "Show the settings of a profile", true},
		{"save NAME", "Save the settings from flags and environment under a name", true},
		{"delete NAME", "Delete a profile", true},
		{"default NAME", "Load a profile at every start (none: load no profile)", true},
		{"allow NAME", "Let conversations fall back to a profile of another company", true},
	} {
		cmd := &cobra.Command{Use: sub.use, Short: sub.short, Args: cli.ExactArgs(0, "no arguments")}
		if sub.named {
			cmd.Args = cli.ExactArgs(1, "the name of a profile")
			cmd.ValidArgsFunction = completeProfiles(w)
		}
		name := cmd.Name()
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			commands, err := settingsCommands(cmd, w, o)
			if err != nil {
				return err
			}
			out, err := commands.RunArgs(cmd.Context(), "profile", append([]string{name}, args...))
			if err != nil {
				return usage(err)
			}
			return w.print(out.Lines...)
		}
		o.register(cmd, w)
		group.AddCommand(cmd)
	}
	return group
}

// settingsCommands returns the slash commands that need no conversation. They use no profile unless one is
// named, so that a broken default profile can still be listed or deleted.
func settingsCommands(cmd *cobra.Command, w world, o settingsOptions) (*command.Commands, error) {
	if o.profile == "" {
		o.profile = settings.NoProfile
	}
	f, s, err := w.configured(o)
	if err != nil {
		return nil, err
	}
	return slash.New(cmd.Context(), slash.Deps{
		Settings: s, Profiles: settings.NewStore(f.Config, s.Registry()), Now: w.process.Now,
		AllowFallback: func(profile string) (string, error) { return w.process.AllowFallback(f, s, profile) },
	}), nil
}

func completeProfiles(w world) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		f, err := w.process.Folders()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names, err := settings.NewStore(f.Config, app.Registry()).List()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
