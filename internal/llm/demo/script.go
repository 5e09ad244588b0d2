package demo

import (
	"fmt"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
)

// reply is a reply of the script: a text, and then tool calls.
type reply struct {
	text  string
	calls []call
}

type call struct {
	tool string
	args map[string]string
}

// The tools that the script uses.
const (
	toolRead    = "read_file"
	toolReplace = "replace"
	toolShell   = "run_shell_command"
	toolList    = "list_directory"
)

func readFile(name string) call { return call{toolRead, map[string]string{"file_path": name}} }

func replaceIn(name, from, to string) call {
	return call{toolReplace, map[string]string{"file_path": name, "old_string": from, "new_string": to}}
}

func runCommand(command string) call {
	return call{toolShell, map[string]string{"command": command}}
}

func (c call) arguments() string {
	encoded, err := rawjson.Marshal(c.args)
	if err != nil {
		return "{}"
	}
	return string(encoded)
}

// maxCalls limits the calls of one turn, so that the script cannot loop forever.
const maxCalls = 30

func next(r request) reply {
	c := newConversation(r.Messages)
	if snapshot, ok := summarize(c); ok {
		return reply{text: snapshot}
	}
	if len(c.since(c.asked)) >= maxCalls {
		return reply{text: "I have made " + humanize.Count(maxCalls, "call") + " without success, so I stop. I am a script and know no other way."}
	}
	asked := c.request()
	if start, ok := c.job(); ok && (start == c.asked || goOn.MatchString(asked)) {
		return c.repair(start)
	}
	answer := c.serve(asked)
	if _, ok := c.job(); ok && len(answer.calls) == 0 && !c.repaired() {
		answer.text += "\n\nThe repair is not finished. Say `continue` to continue."
	}
	return answer
}

// summarize answers the request for a summary of the conversation. The script cannot write a summary,
// so the result only names the job.
func summarize(c conversation) (string, bool) {
	system := ""
	for _, m := range c.messages {
		if m.Role == "system" {
			system += textOf(m)
		}
	}
	if !strings.Contains(system, "<state_snapshot>") {
		return "", false
	}
	goal := "No job was begun."
	for _, m := range c.messages {
		if m.Role == "user" && strings.Contains(textOf(m), Prompt) {
			goal = "Repair till.sh so that `sh test.sh` passes."
		}
	}
	return fmt.Sprintf("<state_snapshot>\n<overall_goal>%s</overall_goal>\n<key_knowledge>This summary was written by the demo model, a script without intelligence; it keeps the goal and nothing else.</key_knowledge>\n</state_snapshot>", goal), true
}
