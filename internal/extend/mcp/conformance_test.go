package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"agent/internal/extend/mcp"
)

// scenarioVariable is set by the official conformance suite of the protocol. It names the scenario.
const scenarioVariable = "MCP_CONFORMANCE_SCENARIO"

// beConformant turns the test binary into the client that the suite controls. "make mcp" runs it.
// The last argument is the address of a server.
func beConformant(scenario string) (code int) {
	if err := conform(context.Background(), scenario, os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		return 1
	}
	return 0
}

// scenarioContext has further data of a scenario.
type scenarioContext struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	ToolCalls    []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

// conform uses a server like a user's session would.
func conform(ctx context.Context, scenario, address string) error {
	var extra scenarioContext
	_ = json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &extra) // most scenarios have none
	server := mcp.Server{Name: "suite", URL: address, OAuth: mcp.OAuth{ClientID: extra.ClientID, ClientSecret: extra.ClientSecret}}
	logins := &mcp.Logins{Keys: &vault{}, Folder: os.TempDir(), Document: "https://conformance-test.local/client-metadata.json"}
	host := mcp.Host{Version: "1", Ask: acceptAll, Logins: logins.WithOpener(browse)}
	client, err := mcp.Connect(ctx, server, host)
	if err != nil {
		return err
	}
	defer client.Close()
	tools, err := client.Tools(ctx)
	if err != nil {
		return err
	}
	if strings.HasPrefix(scenario, "auth/") {
		_, err := client.Call(ctx, "test-tool", nil, nil)
		return err
	}
	switch scenario {
	case "tools_call":
		return mustCall(ctx, client, "add_numbers", `{"a":5,"b":3}`)
	case "elicitation-sep1034-client-defaults":
		return mustCall(ctx, client, "test_client_elicitation_defaults", `{}`)
	case "sse-retry":
		return mustCall(ctx, client, "test_reconnection", `{}`)
	case "sep-2322-client-request-state":
		for _, tool := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"} {
			_ = mustCall(ctx, client, tool, `{}`) // the server refuses some calls
		}
	case "http-standard-headers":
		return everything(ctx, client, tools)
	case "http-custom-headers":
		for _, c := range extra.ToolCalls {
			_ = mustCall(ctx, client, c.Name, string(c.Arguments))
		}
	case "http-invalid-tool-headers":
		for _, tool := range tools {
			_ = mustCall(ctx, client, tool.Name, `{"region":"us-west1"}`)
		}
	case "json-schema-2020-12-preservation":
		for _, tool := range tools {
			if tool.Name == "json_schema_2020_12_tool" {
				return mustCall(ctx, client, "json_schema_echo", `{"schema":`+string(tool.InputSchema)+`}`)
			}
		}
		return fmt.Errorf("the tool with the schema is missing")
	}
	return nil
}

func mustCall(ctx context.Context, client *mcp.Client, tool, arguments string) error {
	result, err := client.Call(ctx, tool, json.RawMessage(arguments), nil)
	if err == nil && result.IsError {
		err = fmt.Errorf("%s: %s", tool, result.Text())
	}
	return err
}

// everything uses one item of each kind that the server offers.
func everything(ctx context.Context, client *mcp.Client, tools []mcp.Tool) error {
	if len(tools) > 0 {
		if err := mustCall(ctx, client, tools[0].Name, `{}`); err != nil {
			return err
		}
	}
	resources, err := client.Resources(ctx)
	if err == nil && len(resources) > 0 {
		_, err = client.Read(ctx, resources[0].URI)
	}
	if err != nil {
		return err
	}
	prompts, err := client.Prompts(ctx)
	if err == nil && len(prompts) > 0 {
		_, err = client.Prompt(ctx, prompts[0].Name, nil)
	}
	return err
}

// acceptAll accepts every question with its defaults.
func acceptAll(_ context.Context, q mcp.Question) (mcp.Answer, error) {
	values := map[string]any{}
	for _, f := range q.Fields {
		if f.Type == "boolean" && f.Required && len(f.Default) == 0 {
			values[f.Name] = true
		}
	}
	return mcp.Answer{Action: mcp.Accept, Values: values}, nil
}

// browse acts like the browser of a user who agrees.
func browse(ctx context.Context, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return "", err
}
