package app_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/llm/demo"
	"agent/internal/provider"
)

// This interface prints every text and every call, and approves every call.
func Example() {
	home, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(home)
	process := &app.Process{Home: home, Dir: "testdata", Now: time.Now}
	settings, err := process.Settings(app.Sources{Isolated: true, Set: []string{"approval-mode=full-auto"}})
	if err != nil {
		fmt.Println(err)
	}
	conversation, err := app.New(context.Background(), process, app.Options{
		Workspace: "example", Settings: settings,
		Connect: demoModel, // without it, the conversation uses the endpoint in the settings
		Events: func(e chat.Event) {
			switch e := e.(type) {
			case chat.ReplyEnded:
				fmt.Println(e.Text)
			case chat.ToolEnded:
				fmt.Println("·", e.Label.Title())
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conversation.Close()
	outcome, err := conversation.Chat.Prompt(context.Background(), atcmd.TypedMessage("read hello.txt"))
	fmt.Println(outcome.Stop, err)
	// Output:
	// I read `hello.txt`.
	// · read_file hello.txt
	// `hello.txt` is in the context now, 1 line. It begins:
	//
	// ```
	// Hello, reader.
	// ```
	// done <nil>
}

func demoModel(ctx context.Context, c *provider.Connection) (string, func(), error) {
	server, err := demo.Start(ctx, demo.Options{})
	if err != nil {
		return "", nil, err
	}
	return "", server.Close, c.Use(server.BaseURL, demo.Model)
}
