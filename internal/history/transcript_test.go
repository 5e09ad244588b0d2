package history

import (
	"strings"
	"testing"
)

func TestTranscript(t *testing.T) {
	t.Parallel()
	exit := 1
	var got string
	for _, entry := range []*Content{
		New(Human, &Text{Text: "fix it\n\n"}, NewInclusion("a.md", "# Title\n```\ncode\n```")),
		New(AI, &Thinking{Thought: "hidden"}),
		New(AI, &Thinking{Thought: "hidden"}, &Text{Text: "looking"}, &ToolCall{Name: "read_file", Parameters: []byte(`{"file_path":"a"}`)}, &ToolCall{Name: "run_shell_command", Parameters: []byte(`{}`)}),
		New(Tool, &ToolResponse{ToolName: "read_file", Result: TextResult("a ```` b\n")}),
		New(Tool, &ToolResponse{ToolName: "run_shell_command", Result: TextResult("FAIL"), Error: "exit status 1", ExitCode: &exit}),
		New(Tool, &ToolResponse{ToolName: "ls"}),
		New(Human, &Media{MimeType: "image/png", Data: "AAAA"}),
	} {
		got += Transcript(entry)
	}
	want := strings.ReplaceAll(`## You

fix it

''''
--- a.md ---
# Title
'''
code
'''
--- End of content ---
''''

## Agent

looking

**read_file**

'''json
{"file_path":"a"}
'''

**run_shell_command**

'''json
{}
'''

Answer of read_file:

'''''
a '''' b
'''''

Answer of run_shell_command, exit 1:

Error: exit status 1

'''
FAIL
'''

Answer of ls:

## You

(image/png)

`, "'", "`")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
