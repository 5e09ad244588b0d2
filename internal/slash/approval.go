package slash

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"agent/internal/command"
	"agent/internal/gate"
	"agent/internal/settings"
	"agent/internal/table"
)

func approvalCommand(s setter) command.Command {
	return command.Command{
		Name: "approval", Aliases: []string{"mode"}, MaxArgs: 2,
		Usage: []command.Form{
			{Does: "choose from the modes; take back what you allowed with \"always\""},
			{Args: "MODE", Does: "choose one for this session"},
			{Args: "forget N|all", Does: "take back what you allowed"},
		},
		Help: "show or choose what runs without asking you",
		Run: func(ctx context.Context, args []string) (command.Output, error) {
			switch {
			case len(args) > 0 && args[0] == forgetGrants:
				return forgetGrantsOf(ctx, s.session, args[1:])
			case len(args) == 1:
				return s.assign(ctx, settings.ApprovalMode.Key(), args[0])
			case len(args) == 2:
				return command.Output{}, fmt.Errorf("/approval takes a mode, or forget and a number")
			}
			return s.showApproval(ctx)
		},
		Complete: func(args []string) []command.Completion {
			if len(args) > 1 {
				return []command.Completion{{Value: "all", Help: "everything you allowed"}}
			}
			return append(completeModes(), command.Completion{Value: forgetGrants, Help: "take back what you allowed with \"always\""})
		},
	}
}

// forgetGrants is the first argument of "/approval forget N|all".
const forgetGrants = "forget"

// showApproval lists the modes and the grants of the session.
func (s setter) showApproval(ctx context.Context) (command.Output, error) {
	inUse := settings.ApprovalMode.Of(s.settings)
	lines := choices(completeModes(), inUse)
	pick := command.PickOf("approval mode", "/approval", completeModes(), inUse)
	grants, err := s.session.Grants(ctx)
	if err != nil || len(grants) == 0 {
		return command.Output{Lines: append(lines, "", "Nothing was allowed with \"always\" in this session."), Pick: pick}, err
	}
	lines = append(lines, "", "Allowed with \"always\" in this session:")
	for i, says := range grants {
		lines = append(lines, fmt.Sprintf("%3d  %s", i+1, says))
		pick.Choices = append(pick.Choices, command.Choice{
			Name: "forget " + says, Help: "you allowed it with \"always\"", Line: fmt.Sprintf("/approval %s %d", forgetGrants, i+1),
		})
	}
	return command.Output{Lines: append(lines, "/approval forget N takes one back, forget all every one"), Pick: pick}, nil
}

// forgetGrants takes grants back.
func forgetGrantsOf(ctx context.Context, session Session, args []string) (command.Output, error) {
	number := 0
	if len(args) == 0 {
		return command.Output{}, errors.New("say which: /approval forget N, or all")
	}
	if args[0] != "all" {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 {
			return command.Output{}, fmt.Errorf("%q is no number of a grant; /approval lists them", args[0])
		}
		number = n
	}
	forgotten, err := session.ForgetGrant(ctx, number)
	if err != nil {
		return command.Output{}, err
	}
	if len(forgotten) == 0 {
		return command.Output{Lines: []string{"there was nothing to forget"}}, nil
	}
	var lines []string
	for _, says := range forgotten {
		lines = append(lines, "forgotten, it is asked again: "+says)
	}
	return command.Output{Lines: lines}, nil
}

// completeModes proposes the approval modes with what each means.
func completeModes() []command.Completion {
	var modes []command.Completion
	for _, mode := range gate.Modes() {
		modes = append(modes, command.Completion{Value: string(mode), Help: modeHelp(mode)})
	}
	return modes
}

func modeHelp(mode gate.Mode) string {
	switch mode {
	case gate.ModeReadOnly:
		return "refuse edits, commands and network"
	case gate.ModePlan:
		return "as read-only, until you agree to a plan"
	case gate.ModeAsk:
		return "ask before edits, commands and network"
	case gate.ModeAutoEdit:
		return "edit files, ask before the rest"
	case gate.ModeFullAuto:
		return "run everything without asking"
	default:
		return ""
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
