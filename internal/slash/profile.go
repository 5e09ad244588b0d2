package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/command"
	"agent/internal/nearest"
	"agent/internal/settings"
	"agent/internal/table"
)

// profiles are the settings that are kept under names.
type profiles struct {
	settings *settings.Settings
	store    *settings.Store
	// inShell is set where there is no conversation: in agent profile.
	inShell bool
}

// profileAction is one thing /profile does. Run is nil for an action that takes
// no profile's name.
type profileAction struct {
	name, help string
	run        func(name string) ([]string, error)
}

func (p profiles) actions() []profileAction {
	return []profileAction{
		{"save", "keep what is set now under a name", p.save},
		{"load", "use a profile from the next message on", p.load},
		{"list", "list the profiles", nil},
		{"show", "show what a profile sets", p.show},
		{"delete", "delete a profile", p.delete},
		{"default", "load a profile at every start; none for no profile", p.setDefault},
		{settings.NoProfile, "stop using a profile in this session", nil},
	}
}

func profileCommand(p profiles) command.Command {
	profile := command.Command{Name: "profile", MaxArgs: 2, Help: "save and load settings under a name"}
	for _, action := range p.actions() {
		form := action.name
		if action.run != nil {
			form += " NAME"
		}
		profile.Usage = append(profile.Usage, command.Form{Args: form, Does: action.help})
	}
	profile.Run = func(_ context.Context, args []string) (command.Output, error) {
		lines, err := p.run(profile, args)
		out := command.Output{Lines: lines}
		if len(args) == 0 && err == nil {
			out.Pick = p.pick()
		}
		return out, err
	}
	profile.Complete = func(args []string) []command.Completion {
		if len(args) == 1 {
			return p.completeName(args[0])
		}
		var actions []command.Completion
		for _, action := range p.actions() {
			actions = append(actions, command.Completion{Value: action.name, Help: action.help})
		}
		return actions
	}
	return profile
}

func (p profiles) run(profile command.Command, args []string) ([]string, error) {
	if len(args) == 0 {
		return p.list()
	}
	var names []string
	for _, action := range p.actions() {
		names = append(names, action.name)
		if !strings.EqualFold(action.name, args[0]) {
			continue
		}
		switch {
		case action.run != nil && len(args) == 2:
			return action.run(args[1])
		case action.run != nil:
			return nil, fmt.Errorf("which profile? type /profile %s NAME", action.name)
		case len(args) == 2:
			return nil, profile.Misused()
		case action.name == settings.NoProfile:
			p.settings.UseProfile(nil)
			return []string{"No profile is in use in this session."}, nil
		default:
			return p.list()
		}
	}
	return nil, fmt.Errorf("unknown word %q%s; %s", args[0], nearest.Question(args[0], names), profile.Takes())
}

// pick lists the profiles; none when there are none to choose from.
func (p profiles) pick() *command.Pick {
	profiles := p.complete()
	if len(profiles) == 0 {
		return nil
	}
	pick := command.PickOf("profile", "/profile load", profiles, p.settings.Profile())
	pick.Choices = append(pick.Choices, command.Choice{
		Name: settings.NoProfile, Help: "use no profile in this session", Line: "/profile " + settings.NoProfile, InUse: p.settings.Profile() == "",
	})
	return pick
}

func (p profiles) save(name string) ([]string, error) {
	values := p.settings.Persistent()
	kept, err := p.store.Save(name, values)
	if err != nil {
		return nil, err
	}
	noun := "settings"
	if len(values) == 1 {
		noun = "setting"
	}
	lines := []string{fmt.Sprintf("profile %s saved with %d %s in %s", name, len(values), noun, p.store.Path(name))}
	for _, resolved := range p.settings.Changed() {
		if _, saved := values[resolved.Spec.Key]; saved {
			lines = append(lines, fmt.Sprintf("  %s = %s", resolved.Spec.Key, resolved.Value))
		}
	}
	if len(kept) > 0 {
		lines = append(lines, "It also keeps, from before: "+strings.Join(kept, ", "))
	}
	return lines, nil
}

func (p profiles) load(name string) ([]string, error) {
	loaded, err := p.store.Load(name)
	if err != nil {
		return nil, err
	}
	hidden := p.settings.UseProfile(loaded)
	lines := []string{fmt.Sprintf("profile %s is in use from the next message on", loaded.Name)}
	for _, key := range hidden {
		_, source := p.settings.Get(key)
		line := fmt.Sprintf("  %s stays as it is: set by %s", key, source)
		if source == settings.Session {
			line += "; /set unset " + key + " takes the profile's"
		}
		lines = append(lines, line)
	}
	return append(lines, unknownLines(loaded)...), nil
}

func (p profiles) show(name string) ([]string, error) {
	loaded, err := p.store.Load(name)
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("profile %s (%s)", loaded.Name, p.store.Path(name))}
	var rows [][]string
	for _, spec := range p.settings.Registry().Specs() {
		if value, ok := loaded.Values[spec.Key]; ok {
			rows = append(rows, []string{"  " + spec.Key, value.String()})
		}
	}
	lines = append(lines, table.Lines("ll", rows)...)
	return append(lines, unknownLines(loaded)...), nil
}

// unknownLines reports the fields of a profile that mean nothing here.
func unknownLines(p *settings.Profile) []string {
	if len(p.Unknown) == 0 {
		return nil
	}
	return []string{"Not known to this version, and kept: " + strings.Join(p.Unknown, ", ")}
}

func (p profiles) delete(name string) ([]string, error) {
	if err := p.store.Delete(name); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("profile %s deleted", name)}, nil
}

func (p profiles) setDefault(name string) ([]string, error) {
	if strings.EqualFold(name, settings.NoProfile) {
		return []string{"No profile is loaded at start."}, p.store.SetDefault("")
	}
	if err := p.store.SetDefault(name); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("profile %s is loaded at every start", name)}, nil
}

func (p profiles) list() ([]string, error) {
	names, err := p.store.List()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		if p.inShell {
			return []string{"There are no profiles; agent profile save NAME keeps what flags and environment set."}, nil
		}
		return []string{"There are no profiles; /profile save NAME keeps what is set now."}, nil
	}
	standard, err := p.store.Default()
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, name := range names {
		rows = append(rows, []string{name, p.note(name, standard)})
	}
	return table.Lines("ll", rows), nil
}

// note says what a profile is in use for.
func (p profiles) note(name, standard string) string {
	var notes []string
	if name == p.settings.Profile() {
		notes = append(notes, "in use")
	}
	if name == standard {
		notes = append(notes, "default")
	}
	return strings.Join(notes, ", ")
}

func (p profiles) completeName(action string) []command.Completion {
	i := slices.IndexFunc(p.actions(), func(a profileAction) bool { return a.run != nil && strings.EqualFold(a.name, action) })
	if i < 0 {
		return nil
	}
	names := p.complete()
	if strings.EqualFold(action, "default") {
		names = append(names, command.Completion{Value: settings.NoProfile, Help: "start without a profile"})
	}
	return names
}

// complete proposes the profiles there are; a folder that cannot be read
// has none to propose.
func (p profiles) complete() []command.Completion {
	names, err := p.store.List()
	if err != nil {
		return nil
	}
	standard, _ := p.store.Default()
	var proposals []command.Completion
	for _, name := range names {
		proposals = append(proposals, command.Completion{Value: name, Help: p.note(name, standard)})
	}
	return proposals
}
