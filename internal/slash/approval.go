package slash

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/command"
	"agent/internal/gate"
	"agent/internal/settings"
)

func approvalCommand(s setter) command.Command {
	return command.Command{
		Name: "approval", Aliases: []string{"mode"}, Help: "choose which tool calls need approval",
		Forms: []command.Form{
			{Does: "choose a mode, or revoke a permission", Run: s.showApproval},
			{Args: "MODE", Does: "set the mode for this session", Run: s.setCommand(settings.ApprovalMode.Key()), Complete: completeModes},
			{Args: "forget N|all", Does: "revoke permission N of the list, or all", Run: showOne(s.forgetGrants), Complete: func([]string) []command.Completion {
				return []command.Completion{{Value: "all", Help: "revoke all permissions"}}
			}},
		},
	}
}

// showApproval lists the approval modes and the permissions that the user granted for the session or
// permanently.
func (s setter) showApproval(_ context.Context, _ []string) (command.Output, error) {
	inUse := settings.ApprovalMode.Value(s.Settings)
	lines := choices(completeModes(nil), inUse)
	pick := command.NewChoiceList("approval mode", "/approval", completeModes(nil), inUse)
	grants := s.Permissions.Grants()
	if len(grants) == 0 {
		return command.Output{Lines: append(lines, "", "No permissions granted."), Pick: pick}, nil
	}
	for i, g := range grants {
		if i == 0 || g.Project && !grants[i-1].Project {
			lines = append(lines, "", allowedWhere[g.Project])
		}
		said := s.use(g)
		line := fmt.Sprintf("%3d  %s", i+1, g.Says)
		if g.Project {
			line += "  (" + said + ")"
		}
		lines = append(lines, line)
		pick.Choices = append(pick.Choices, command.Choice{
			Name: "forget " + g.Says, Help: said, Line: fmt.Sprintf("/approval forget %d", i+1), Faded: s.idle(g),
		})
	}
	return command.Output{Lines: append(lines, "To revoke one, type /approval forget N. To revoke all, type /approval forget all."), Pick: pick}, nil
}

// allowedWhere maps false to the heading for session permissions, and true to the heading for project
// permissions.
var allowedWhere = map[bool]string{false: "Allowed in this session:", true: "Allowed permanently in this project:"}

// idleDays is the number of days without use after which a permission is shown as idle.
const idleDays = 30

// idle reports whether a permission of the project has not been used for more than idleDays days.
func (s setter) idle(g gate.GrantEntry) bool {
	last, err := time.Parse(time.DateOnly, cmp.Or(g.Used, g.Since))
	return g.Project && err == nil && s.Now().Sub(last) > idleDays*24*time.Hour
}

// use describes where a permission applies, since when, and how often and when it was used.
func (s setter) use(g gate.GrantEntry) string {
	if !g.Project {
		return "you allowed it for this session"
	}
	said := "since " + g.Since + ", in this project"
	switch {
	case g.Count == 0:
		said += ", not used yet"
	default:
		said += ", used " + humanize.Count(g.Count, "time") + ", last " + g.Used
	}
	if s.idle(g) {
		said += fmt.Sprintf(", not in the last %d days", idleDays)
	}
	return said
}

// forgetGrants revokes the permission with the number which, or every permission if which is "all".
func (s setter) forgetGrants(ctx context.Context, which string) ([]string, error) {
	number, err := strconv.Atoi(which)
	if which != "all" && (err != nil || number < 1) {
		return nil, fmt.Errorf("unknown permission %q. To list your permissions, type /approval", which)
	}
	forgotten, err := s.Permissions.Revoke(number)
	if err != nil {
		return nil, err
	}
	if len(forgotten) == 0 {
		return []string{"No permissions to revoke."}, nil
	}
	var lines []string
	for _, says := range forgotten {
		lines = append(lines, "Revoked: "+says)
	}
	return lines, nil
}

// modeHelp explains each approval mode.
var modeHelp = map[gate.Mode]string{
	gate.ModeReadOnly: "refuse edits, commands and network",
	gate.ModePlan:     "read only until you approve a plan",
	gate.ModeAsk:      "ask before edits, commands and network",
	gate.ModeAutoEdit: "edit files without asking, ask before the rest",
	gate.ModeFullAuto: "run everything without asking",
}

// completeModes proposes the approval modes with their explanations.
func completeModes([]string) (modes []command.Completion) {
	for _, mode := range gate.Modes() {
		modes = append(modes, command.Completion{Value: string(mode), Help: modeHelp[mode]})
	}
	return modes
}

func themeCommand(s setter) command.Command {
	themes := func([]string) []command.Completion { return s.completeValues([]string{settings.Theme.Key()}) }
	return command.Command{
		Name: "theme", Help: "choose the colors of the screen",
		Forms: []command.Form{
			{Does: "list the themes and choose one", Run: func(context.Context, []string) (command.Output, error) {
				inUse := settings.Theme.Value(s.Settings)
				pick := command.NewChoiceList("theme", "/theme", themes(nil), inUse)
				for i, c := range pick.Choices {
					pick.Choices[i].Theme = c.Name
					if s.ThemeFault != nil && s.ThemeFault(c.Name) != nil {
						pick.Choices[i].Theme, pick.Choices[i].Help, pick.Choices[i].Faded = "", "cannot be used", true
					}
				}
				return command.Output{Lines: choices(themes(nil), inUse), Pick: pick}, nil
			}},
			{Args: "NAME", Does: "choose one", Run: s.setCommand(settings.Theme.Key()), Complete: themes},
		},
	}
}

// choices lists values with their help and marks the value in use.
func choices(values []command.Completion, inUse string) []string {
	var rows [][]string
	for _, v := range values {
		mark := " "
		if v.Value == inUse {
			mark = "*"
		}
		rows = append(rows, []string{mark + " " + v.Value, v.Help})
	}
	return table.Lines("ll", rows)
}
