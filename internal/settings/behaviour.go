package settings

// ApprovalMode is the name of the approval mode.
var ApprovalMode = Declare(Enum(), "ask", Spec{
	Key:      "approval-mode",
	Help:     "which tool calls run without asking you",
	Category: CategoryBehaviour,
})

// MaxTurns is the most model requests for one prompt, -1 for no limit.
var MaxTurns = Declare(Int(AtLeast(1, "of at least 1, or -1 for no limit").Or(-1)), -1, Spec{
	Key:      "max-turns",
	Help:     "most model requests for one prompt; -1 is no limit",
	Category: CategoryBehaviour,
})

// Theme is the name of the colour theme.
var Theme = Declare(Enum(), "auto", Spec{
	Key:      "theme",
	Help:     "colours of the screen",
	Category: CategoryBehaviour,
})
