package slash

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/command"
	"agent/internal/settings"
)

// profiles runs /profile. A profile is a set of settings that is saved under a name.
type profiles struct{ Deps }

func profileCommand(p profiles) command.Command {
	return command.Command{
		Name: "profile", Help: "save and load settings under a name",
		Forms: []command.Form{
			{Args: "save NAME", Does: "save the current settings as profile NAME", Run: showOne(p.save), Complete: p.complete},
			{Args: "load NAME", Does: "switch to profile NAME, from the next message", Run: showOne(p.load), Complete: p.complete},
			{Args: "list", Does: "list the profiles", Run: command.ShowLines(p.list)},
			{Args: "show NAME", Does: "show the settings of a profile", Run: showOne(p.show), Complete: p.complete},
			{Args: "delete NAME", Does: "delete a profile", Run: showOne(p.delete), Complete: p.complete},
			{Args: "default NAME", Does: "load profile NAME at every start; none: load no profile", Run: showOne(p.setDefault), Complete: func([]string) []command.Completion {
				return append(p.complete(nil), command.Completion{Value: settings.NoProfile, Help: "start without a profile"})
			}},
			{Args: "allow NAME", Does: "allow fallback to profile NAME, which uses another company", Run: showOne(p.allow), Complete: p.complete},
			{Args: settings.NoProfile, Does: "stop using a profile in this session", Run: command.ShowLines(func(context.Context, []string) ([]string, error) {
				p.Settings.UseProfile(nil)
				return []string{"No profile is active in this session."}, nil
			})},
			{Does: "list the profiles and choose one", Run: func(ctx context.Context, _ []string) (command.Output, error) {
				lines, err := p.list(ctx, nil)
				return command.Output{Lines: lines, Pick: p.pick()}, err
			}},
		},
	}
}

// pick returns the list of profiles for a screen, or nil if there are no profiles.
func (p profiles) pick() *command.ChoiceList {
	profiles := p.complete(nil)
	if len(profiles) == 0 {
		return nil
	}
	pick := command.NewChoiceList("profile", "/profile load", profiles, p.Settings.Profile())
	pick.Choices = append(pick.Choices, command.Choice{
		Name: settings.NoProfile, Help: "no profile in this session", Line: "/profile " + settings.NoProfile, InUse: p.Settings.Profile() == "",
	})
	return pick
}

func (p profiles) save(_ context.Context, name string) ([]string, error) {
	values := p.Settings.PersistentValues()
	kept, err := p.Profiles.Save(name, values)
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("Saved profile %s with %s in %s", name, humanize.Count(len(values), "setting"), p.Profiles.Path(name))}
	for _, resolved := range p.Settings.NonDefault() {
		if _, saved := values[resolved.Spec.Key]; saved {
			lines = append(lines, fmt.Sprintf("  %s = %s", resolved.Spec.Key, resolved.DisplayValue()))
		}
	}
	if len(kept) > 0 {
		lines = append(lines, "Settings that the profile already had and keeps: "+strings.Join(kept, ", "))
	}
	return lines, nil
}

func (p profiles) load(_ context.Context, name string) ([]string, error) {
	loaded, err := p.Profiles.Load(name)
	if err != nil {
		return nil, err
	}
	hidden := p.Settings.UseProfile(loaded)
	lines := []string{fmt.Sprintf("Profile %s is active from the next message", loaded.Name)}
	for _, key := range hidden {
		_, source := p.Settings.Get(key)
		line := fmt.Sprintf("  %s is unchanged: set by %s", key, source)
		if source == settings.LayerSession {
			line += "; to use the profile's value, type /set unset " + key
		}
		lines = append(lines, line)
	}
	return append(lines, unknownLines(loaded)...), nil
}

func (p profiles) show(_ context.Context, name string) ([]string, error) {
	loaded, err := p.Profiles.Load(name)
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("profile %s (%s)", loaded.Name, p.Profiles.Path(name))}
	var rows [][]string
	for _, key := range slices.Sorted(maps.Keys(loaded.Values)) { // also headers, which lists omit
		spec, err := p.Settings.Registry().Lookup(key)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{"  " + key, spec.DisplayValue(loaded.Values[key])})
	}
	lines = append(lines, table.Lines("ll", rows)...)
	return append(lines, unknownLines(loaded)...), nil
}

// unknownLines returns lines about the fields of a profile that this version does not support.
func unknownLines(p *settings.Profile) []string {
	if len(p.Unknown) == 0 {
		return nil
	}
	return []string{"Unknown settings, kept in the file but not used: " + strings.Join(p.Unknown, ", ")}
}

func (p profiles) delete(_ context.Context, name string) ([]string, error) {
	if err := p.Profiles.Delete(name); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("Deleted profile %s", name)}, nil
}

func (p profiles) setDefault(_ context.Context, name string) ([]string, error) {
	if strings.EqualFold(name, settings.NoProfile) {
		return []string{"No profile will be loaded at start."}, p.Profiles.SetDefault("")
	}
	if err := p.Profiles.SetDefault(name); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("Profile %s will be loaded at every start", name)}, nil
}

func (p profiles) allow(_ context.Context, name string) ([]string, error) {
	host, err := p.AllowFallback(name)
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("agent may now fall back to profile %s and send conversations to %s.", name, host)}, nil
}

func (p profiles) list(context.Context, []string) ([]string, error) {
	profiles, err := p.listProfiles()
	if err != nil {
		return nil, err
	}
	if len(profiles) == 0 {
		if p.Session == nil {
			return []string{"No profiles. To save the settings from flags and environment, run: agent profile save NAME"}, nil
		}
		return []string{"No profiles. To save the current settings, type /profile save NAME."}, nil
	}
	var rows [][]string
	for _, profile := range profiles {
		rows = append(rows, []string{profile.Value, profile.Help})
	}
	return table.Lines("ll", rows), nil
}

// listProfiles lists the profiles, and marks the profile in use and the default.
func (p profiles) listProfiles() (profiles []command.Completion, err error) {
	names, err := p.Profiles.List()
	if err != nil {
		return nil, err
	}
	standard, err := p.Profiles.Default()
	for _, name := range names {
		var notes []string
		if name == p.Settings.Profile() {
			notes = append(notes, "in use")
		}
		if name == standard {
			notes = append(notes, "default")
		}
		profiles = append(profiles, command.Completion{Value: name, Help: strings.Join(notes, ", ")})
	}
	return profiles, err
}

// complete proposes the profiles. It proposes none if the folder cannot be read.
func (p profiles) complete([]string) []command.Completion {
	profiles, _ := p.listProfiles()
	return profiles
}
