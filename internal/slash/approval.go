package slash

import (
	"context"
	"fmt"
	"strconv"

	"agent/internal/command"
	"agent/internal/gate"
	"agent/internal/settings"
	"agent/internal/table"
)

func approvalCommand(s setter) command.Command {
	return command.Command{
		Name: "approval", Aliases: []string{"mode"}, Help: "show or choose what runs without asking you",
		Forms: []command.Form{
			{Does: "choose from the modes; take back what you allowed with \"always\"", Run: s.showApproval},
			{Args: "MODE", Does: "choose one for this session", Run: s.assigns(settings.ApprovalMode.Key()), Complete: completeModes},
			{Args: "forget N|all", Does: "take back what you allowed with \"always\"", Run: one(s.forgetGrants), Complete: func([]string) []command.Completion {
				return []command.Completion{{Value: "all", Help: "everything you allowed"}}
			}},
		},
	}
}

// showApproval lists the modes and the grants of the session.
func (s setter) showApproval(ctx context.Context, _ []string) (command.Output, error) {
	inUse := settings.ApprovalMode.Of(s.Settings)
	lines := choices(completeModes(nil), inUse)
	pick := command.PickOf("approval mode", "/approval", completeModes(nil), inUse)
	grants, err := s.Session.Grants(ctx)
	if err != nil || len(grants) == 0 {
		return command.Output{Lines: append(lines, "", "Nothing was allowed with \"always\" in this session."), Pick: pick}, err
	}
	lines = append(lines, "", "Allowed with \"always\" in this session:")
	for i, says := range grants {
		lines = append(lines, fmt.Sprintf("%3d  %s", i+1, says))
		pick.Choices = append(pick.Choices, command.Choice{
			Name: "forget " + says, Help: "you allowed it with \"always\"", Line: fmt.Sprintf("/approval forget %d", i+1),
		})
	}
	return command.Output{Lines: append(lines, "/approval forget N takes one back, forget all every one"), Pick: pick}, nil
}

// forgetGrants takes a grant back, or all.
func (s setter) forgetGrants(ctx context.Context, which string) ([]string, error) {
	number, err := strconv.Atoi(which)
	if which != "all" && (err != nil || number < 1) {
		return nil, fmt.Errorf("%q is no number of a grant; /approval lists them", which)
	}
	forgotten, err := s.Session.ForgetGrant(ctx, number)
	if err != nil {
		return nil, err
	}
	if len(forgotten) == 0 {
		return []string{"there was nothing to forget"}, nil
	}
	var lines []string
	for _, says := range forgotten {
		lines = append(lines, "forgotten, it is asked again: "+says)
	}
	return lines, nil
}

// modeHelp is what each mode means.
var modeHelp = map[gate.Mode]string{
	gate.ModeReadOnly: "refuse edits, commands and network",
	gate.ModePlan:     "as read-only, until you agree to a plan",
	gate.ModeAsk:      "ask before edits, commands and network",
	gate.ModeAutoEdit: "edit files, ask before the rest",
	gate.ModeFullAuto: "run everything without asking",
}

// completeModes proposes the approval modes with what each means.
func completeModes([]string) (modes []command.Completion) {
	for _, mode := range gate.Modes() {
		modes = append(modes, command.Completion{Value: string(mode), Help: modeHelp[mode]})
	}
	return modes
}

func themeCommand(s setter) command.Command {
	themes := func([]string) []command.Completion { return s.completeValues([]string{settings.Theme.Key()}) }
	return command.Command{
		Name: "theme", Help: "show or choose the colours of the screen",
		Forms: []command.Form{
			{Does: "choose from the themes", Run: func(context.Context, []string) (command.Output, error) {
				inUse := settings.Theme.Of(s.Settings)
				pick := command.PickOf("theme", "/theme", themes(nil), inUse)
				for i, c := range pick.Choices {
					pick.Choices[i].Theme = c.Name
				}
				return command.Output{Lines: choices(themes(nil), inUse), Pick: pick}, nil
			}},
			{Args: "NAME", Does: "choose one for this session", Run: s.assigns(settings.Theme.Key()), Complete: themes},
		},
	}
}

// choices lists values with their help, the one in use marked.
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
