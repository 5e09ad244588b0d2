package tools_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"agent/internal/base/arguments"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// A call is first planned, which shows its effect and changes nothing. Then the plan is applied.
func Example() {
	folder, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(folder)
	root, err := workspace.New(folder, folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	env := &tools.Env{Workspace: root, Seen: tools.NewSeenFiles(), Limits: tools.Limits{OutputTokens: 1000, ReadLines: 100}}
	tool, err := tools.NewRegistry(tools.Default()...).Get("write_file")
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := tool.Plan(context.Background(), env, arguments.Parse([]byte(`{"file_path":"hello.txt","content":"Hello.\n"}`)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("preview:", plan.Preview.Title)
	plan.Apply(context.Background())
	text, err := os.ReadFile(filepath.Join(folder, "hello.txt"))
	fmt.Print(string(text), err)
	// Output:
	// preview: create hello.txt
	// Hello.
	// <nil>
}
