package command

import (
	"context"

	"agent/internal/chat"
	"agent/internal/settings"
)

func (c *Commands) approvalCommand() Command {
	return Command{
		Name: "approval", Aliases: []string{"mode"}, MaxArgs: 1,
		Usage: []Form{{"", "list the modes"}, {"MODE", "choose one for this session"}},
		Help:  "show or choose what runs without asking you",
		Run: func(_ context.Context, args []string) (Output, error) {
			if len(args) == 1 {
				return c.assign(settings.ApprovalMode.Key(), args[0])
			}
			return Output{Lines: choices(completeModes(), settings.ApprovalMode.Of(c.deps.Settings))}, nil
		},
		Complete: func([]string) []Completion { return completeModes() },
	}
}

// completeModes proposes the approval modes with what each means.
func completeModes() []Completion {
	var modes []Completion
	for _, mode := range chat.ApprovalModes() {
		modes = append(modes, Completion{string(mode), modeHelp(mode)})
	}
	return modes
}

func modeHelp(mode chat.ApprovalMode) string {
	switch mode {
	case chat.ModeReadOnly:
		return "refuse edits, commands and network"
	case chat.ModeAsk:
		return "ask before edits, commands and network"
	case chat.ModeAutoEdit:
		return "edit files, ask before the rest"
	case chat.ModeFullAuto:
		return "run everything without asking"
	default:
		return ""
	}
}

// choices lists values with their help, the one in use marked.
func choices(values []Completion, inUse string) []string {
	var rows [][]string
	for _, v := range values {
		mark := " "
		if v.Value == inUse {
			mark = "*"
		}
		rows = append(rows, []string{mark + " " + v.Value, v.Help})
	}
	return table([]column{left, left}, rows)
}
