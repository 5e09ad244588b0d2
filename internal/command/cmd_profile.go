package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/nearest"
	"agent/internal/settings"
	"agent/internal/table"
)

// profileAction is one thing /profile does. Run is nil for an action that takes
// no profile's name.
type profileAction struct {
	name, help string
	run        func(name string) ([]string, error)
}

func (c *Commands) profileActions() []profileAction {
	return []profileAction{
		{"save", "keep what is set now under a name", c.saveProfile},
		{"load", "use a profile from the next message on", c.loadProfile},
		{"list", "list the profiles", nil},
		{"show", "show what a profile sets", c.showProfile},
		{"delete", "delete a profile", c.deleteProfile},
		{"default", "load a profile at every start; none for no profile", c.defaultProfile},
		{settings.NoProfile, "stop using a profile in this session", nil},
	}
}

func (c *Commands) profileCommand() Command {
	profile := Command{Name: "profile", MaxArgs: 2, Help: "save and load settings under a name"}
	for _, action := range c.profileActions() {
		form := action.name
		if action.run != nil {
			form += " NAME"
		}
		profile.Usage = append(profile.Usage, Form{form, action.help})
	}
	profile.Run = func(_ context.Context, args []string) (Output, error) {
		lines, err := c.runProfile(profile, args)
		out := Output{Lines: lines}
		if len(args) == 0 && err == nil {
			out.Pick = c.pickProfile()
		}
		return out, err
	}
	profile.Complete = func(args []string) []Completion {
		if len(args) == 1 {
			return c.completeProfileName(args[0])
		}
		var actions []Completion
		for _, action := range c.profileActions() {
			actions = append(actions, Completion{Value: action.name, Help: action.help})
		}
		return actions
	}
	return profile
}

func (c *Commands) runProfile(profile Command, args []string) ([]string, error) {
	if len(args) == 0 {
		return c.listProfiles()
	}
	var names []string
	for _, action := range c.profileActions() {
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
			return nil, profile.misused()
		case action.name == settings.NoProfile:
			c.deps.Settings.UseProfile(nil)
			return []string{"No profile is in use in this session."}, nil
		default:
			return c.listProfiles()
		}
	}
	return nil, fmt.Errorf("unknown word %q%s; %s", args[0], nearest.Question(args[0], names), profile.takes())
}

// pickProfile lists the profiles; none when there are none to choose from.
func (c *Commands) pickProfile() *Pick {
	profiles := c.completeProfiles()
	if len(profiles) == 0 {
		return nil
	}
	pick := pickOf("profile", "/profile load", profiles, c.deps.Settings.Profile())
	pick.Choices = append(pick.Choices, Choice{
		Name: settings.NoProfile, Help: "use no profile in this session", Line: "/profile " + settings.NoProfile, InUse: c.deps.Settings.Profile() == "",
	})
	return pick
}

func (c *Commands) saveProfile(name string) ([]string, error) {
	values := c.deps.Settings.Persistent()
	kept, err := c.deps.Profiles.Save(name, values)
	if err != nil {
		return nil, err
	}
	noun := "settings"
	if len(values) == 1 {
		noun = "setting"
	}
	lines := []string{fmt.Sprintf("profile %s saved with %d %s in %s", name, len(values), noun, c.deps.Profiles.Path(name))}
	for _, resolved := range c.deps.Settings.Changed() {
		if _, saved := values[resolved.Spec.Key]; saved {
			lines = append(lines, fmt.Sprintf("  %s = %s", resolved.Spec.Key, resolved.Value))
		}
	}
	if len(kept) > 0 {
		lines = append(lines, "It also keeps, from before: "+strings.Join(kept, ", "))
	}
	return lines, nil
}

func (c *Commands) loadProfile(name string) ([]string, error) {
	p, err := c.deps.Profiles.Load(name)
	if err != nil {
		return nil, err
	}
	hidden := c.deps.Settings.UseProfile(p)
	lines := []string{fmt.Sprintf("profile %s is in use from the next message on", p.Name)}
	for _, key := range hidden {
		_, source := c.deps.Settings.Get(key)
		line := fmt.Sprintf("  %s stays as it is: set by %s", key, source)
		if source == settings.Session {
			line += "; /set unset " + key + " takes the profile's"
		}
		lines = append(lines, line)
	}
	return append(lines, unknownLines(p)...), nil
}

func (c *Commands) showProfile(name string) ([]string, error) {
	p, err := c.deps.Profiles.Load(name)
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("profile %s (%s)", p.Name, c.deps.Profiles.Path(name))}
	var rows [][]string
	for _, spec := range c.deps.Settings.Registry().Specs() {
		if value, ok := p.Values[spec.Key]; ok {
			rows = append(rows, []string{"  " + spec.Key, value.String()})
		}
	}
	lines = append(lines, table.Lines("ll", rows)...)
	return append(lines, unknownLines(p)...), nil
}

// unknownLines reports the fields of a profile that mean nothing here.
func unknownLines(p *settings.Profile) []string {
	if len(p.Unknown) == 0 {
		return nil
	}
	return []string{"Not known to this version, and kept: " + strings.Join(p.Unknown, ", ")}
}

func (c *Commands) deleteProfile(name string) ([]string, error) {
	if err := c.deps.Profiles.Delete(name); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("profile %s deleted", name)}, nil
}

func (c *Commands) defaultProfile(name string) ([]string, error) {
	if strings.EqualFold(name, settings.NoProfile) {
		return []string{"No profile is loaded at start."}, c.deps.Profiles.SetDefault("")
	}
	if err := c.deps.Profiles.SetDefault(name); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("profile %s is loaded at every start", name)}, nil
}

func (c *Commands) listProfiles() ([]string, error) {
	names, err := c.deps.Profiles.List()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		if c.deps.Session == nil {
			return []string{"There are no profiles; agent profile save NAME keeps what flags and environment set."}, nil
		}
		return []string{"There are no profiles; /profile save NAME keeps what is set now."}, nil
	}
	standard, err := c.deps.Profiles.Default()
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, name := range names {
		rows = append(rows, []string{name, c.profileNote(name, standard)})
	}
	return table.Lines("ll", rows), nil
}

// profileNote says what a profile is in use for.
func (c *Commands) profileNote(name, standard string) string {
	var notes []string
	if name == c.deps.Settings.Profile() {
		notes = append(notes, "in use")
	}
	if name == standard {
		notes = append(notes, "default")
	}
	return strings.Join(notes, ", ")
}

func (c *Commands) completeProfileName(action string) []Completion {
	i := slices.IndexFunc(c.profileActions(), func(a profileAction) bool { return a.run != nil && strings.EqualFold(a.name, action) })
	if i < 0 {
		return nil
	}
	names := c.completeProfiles()
	if strings.EqualFold(action, "default") {
		names = append(names, Completion{Value: settings.NoProfile, Help: "start without a profile"})
	}
	return names
}

// completeProfiles proposes the profiles there are; a folder that cannot be read
// has none to propose.
func (c *Commands) completeProfiles() []Completion {
	names, err := c.deps.Profiles.List()
	if err != nil {
		return nil
	}
	standard, _ := c.deps.Profiles.Default()
	var proposals []Completion
	for _, name := range names {
		proposals = append(proposals, Completion{Value: name, Help: c.profileNote(name, standard)})
	}
	return proposals
}
