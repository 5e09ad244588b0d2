package demo

import (
	"agent/internal/rawjson"
	"agent/internal/words"
)

// reply is what the script says next: words, then calls of tools.
type reply struct {
	text  string
	calls []call
}

// call is a call of one tool of the program.
type call struct {
	tool string
	args map[string]string
}

// The tools the script uses.
const (
	toolRead    = "read_file"
	toolReplace = "replace"
	toolShell   = "run_shell_command"
	toolSearch  = "search_file_content"
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

// maxCalls ends an exchange that runs in circles, whatever the tools answer.
const maxCalls = 30

// next decides what the script says to the request.
func next(r request) reply {
	c := newConversation(r.Messages)
	if snapshot, ok := summarise(c); ok {
		return reply{text: snapshot}
	}
	if len(c.since(c.asked)) >= maxCalls {
		return reply{text: "I have made " + words.Count(maxCalls, "call") + " for this and get nowhere, so I stop. I am a script and cannot think of another way."}
	}
	typed := c.request()
	if start, ok := c.job(); ok && (start == c.asked || wants(typed, goOn)) {
		return c.repair(start)
	}
	answer := c.serve(r, typed)
	if _, ok := c.job(); ok && len(answer.calls) == 0 && !c.repaired() {
		answer.text += "\n\nThe repair is not finished. Say `continue` and I go on with it."
	}
	return answer
}
