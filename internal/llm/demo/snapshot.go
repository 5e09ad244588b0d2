package demo

import (
	"fmt"
	"strings"
)

// summarise answers the request of a strategy that has the conversation
// summarised by the model. A script cannot summarise, so it keeps what a script
// can find: the lines that say which job is played.
func summarise(c conversation) (string, bool) {
	system := ""
	for _, m := range c.messages {
		if m.Role == "system" {
			system += m.Content.text()
		}
	}
	if !strings.Contains(system, "<state_snapshot>") {
		return "", false
	}
	goal := "No job was begun."
	for _, m := range c.messages {
		if m.Role == "user" && strings.Contains(m.Content.text(), Prompt) {
			goal = "Repair till.sh so that `sh test.sh` passes."
		}
	}
	return fmt.Sprintf("<state_snapshot>\n<overall_goal>%s</overall_goal>\n<key_knowledge>This summary was written by the demo model, a script without intelligence; it keeps the goal and nothing else.</key_knowledge>\n</state_snapshot>", goal), true
}
