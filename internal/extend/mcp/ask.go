package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Question is a question that a server sends to the user during a call. The server provides its
// texts.
type Question struct {
	Server, Message string
	// URL is an address for the user to open in a browser. If it is set, Fields is empty.
	URL    string
	Fields []Field
}

// Answer is the user's answer to a Question.
type Answer struct {
	// Action is Accept, Decline or Cancel.
	Action Action
	// Values holds the fields that the user filled in: strings, numbers, booleans, and lists of
	// strings. Missing fields get their default values.
	Values map[string]any
}

// Action is the way in which a user answers a question.
type Action string

// The actions.
const (
	Accept  Action = "accept"
	Decline Action = "decline"
	// Cancel means that the user gave no answer.
	Cancel Action = "cancel"
)

// mostQuestions is the greatest number of questions of a server during one call.
const mostQuestions = 5

// elicit answers a question of the server. It declines a question if no user can answer it, if it
// requests a secret, or if the library panics on it.
func (c *Client) elicit(ctx context.Context, request *sdk.ElicitRequest) (result *sdk.ElicitResult, err error) {
	defer func() {
		if recover() != nil {
			result, err = &sdk.ElicitResult{Action: string(Decline)}, nil
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	open := c.open()
	var left atomic.Int32 // number of open calls; the question belongs to one of them
	left.Store(int32(len(open)))
	for _, k := range open {
		k.ask(+1)
		defer k.ask(-1)
		defer context.AfterFunc(k.life, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})()
	}
	question, schema, err := questionOf(c.server.Name, request.Params)
	switch {
	case err != nil:
		c.log.line("agent: declined a question: " + err.Error())
		return &sdk.ElicitResult{Action: string(Decline)}, nil
	case c.host.Ask == nil:
		return &sdk.ElicitResult{Action: string(Decline)}, nil
	case len(open) == 0 || c.questions.Add(1) > mostQuestions:
		c.log.line("agent: declined a question: no call of a tool was running, or too many questions were open")
		return &sdk.ElicitResult{Action: string(Cancel)}, nil
	}
	answer, err := c.host.Ask(ctx, question)
	if err != nil {
		return &sdk.ElicitResult{Action: string(Cancel)}, nil
	}
	result = &sdk.ElicitResult{Action: string(answer.Action)}
	if answer.Action == Accept && question.URL == "" {
		if result.Content, err = complete(schema, answer.Values); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func questionOf(server string, p *sdk.ElicitParams) (Question, *jsonschema.Schema, error) {
	q := Question{Server: server, Message: p.Message}
	if p.URL != "" || p.Mode == "url" {
		address, err := url.Parse(p.URL)
		if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
			return q, nil, errors.New("its URL is not an http or https URL")
		}
		q.URL = p.URL
		return q, nil, nil
	}
	if p.RequestedSchema == nil {
		return q, nil, nil
	}
	raw := rawOf(p.RequestedSchema)
	if bytes.Contains(raw, []byte(`"$ref"`)) || bytes.Contains(raw, []byte(`"$dynamicRef"`)) {
		return q, nil, errors.New("its form has nested fields") // a recursive schema would be followed forever
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		return q, nil, fmt.Errorf("can't read its form: %w", err)
	}
	fields, err := fieldsOf(&schema)
	q.Fields = fields
	return q, &schema, err
}

// complete adds the default values of the schema to values, and validates them.
func complete(schema *jsonschema.Schema, values map[string]any) (map[string]any, error) {
	if values == nil {
		values = map[string]any{}
	}
	if schema == nil {
		return values, nil
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("can't check the form: %w", err)
	}
	if err := resolved.ApplyDefaults(&values); err != nil {
		return nil, fmt.Errorf("the defaults of the form do not match its schema: %w", err)
	}
	if err := resolved.Validate(values); err != nil {
		return nil, fmt.Errorf("the answer does not match the schema of the form: %w", err)
	}
	return values, nil
}
