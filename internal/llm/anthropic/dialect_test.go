package anthropic

import (
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
)

// If the API, a cloud or a gateway refuses a part of a request with a known message, the next
// request omits that part. Other messages have no effect.
func TestSentencesTeach(t *testing.T) {
	t.Parallel()
	warm := 1.0
	entries := []*history.Content{
		history.New(history.Human, &history.Text{Text: "hi"}, &history.Text{Text: "the mode is plan", Source: history.SourceExtension, Key: history.KeyApprovalMode}),
	}
	full := llm.Request{
		Model: "claude-opus-5-5", History: entries, ReasoningEffort: "max", Temperature: &warm, Schema: []byte(`{}`),
		Tools: []llm.ToolSpec{{Name: "web_search", Searches: true}},
	}
	for sentence, want := range map[string]Dialect{
		"thinking.adaptive.block_binding: Extra inputs are not permitted":                                                           {OmitBinding: true},
		"Unexpected value(s) `thinking-binding-controls-2026-08-01` for the `anthropic-beta` header":                                {OmitBinding: true},
		"messages.1.content.0: Invalid signature in thinking block. The block is bound to a different conversation":                 {Bound: true, ConversationDialect: ConversationDialect{NoThinking: true}},
		"messages.1.content.0: Invalid `signature` in `thinking` block":                                                             {ConversationDialect: ConversationDialect{NoThinking: true}},
		"messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified":         {ConversationDialect: ConversationDialect{NoThinking: true}},
		"diagnostics: Extra inputs are not permitted":                                                                               {OmitDiagnostics: true},
		"system.0.cache_control: Extra inputs are not permitted":                                                                    {OmitCache: true},
		"This model does not support prompt caching":                                                                                {OmitCache: true},
		"thinking.adaptive.display: Input should be 'summarized'":                                                                   {OmitDisplay: true},
		"output_config.format: Extra inputs are not permitted":                                                                      {OmitSchema: true},
		"This model does not support the effort parameter.":                                                                         {OmitEffort: true},
		"output_config: Extra inputs are not permitted":                                                                             {OmitEffort: true},
		"tools.4.defer_loading: Extra inputs are not permitted":                                                                     {OmitToolChanges: true},
		"Unexpected value(s) `mid-conversation-tool-changes-2026-07-01` for the `anthropic-beta` header":                            {OmitToolChanges: true},
		"messages.1.role: Input should be 'user' or 'assistant'":                                                                    {OmitSystem: true},
		`messages: Unexpected role "system". The Messages API accepts a top-level ` + "`system` parameter":                          {OmitSystem: true},
		"`temperature` may only be set to 1 when thinking is enabled":                                                               {ConversationDialect: ConversationDialect{OmitSampling: true}},
		"`temperature` and `top_p` cannot both be specified for this model. Please use only one.":                                   {ConversationDialect: ConversationDialect{OmitSampling: true}},
		"tools.9: Input tag 'web_search_20250305' found using 'type' does not match any of the expected tags":                       {ConversationDialect: ConversationDialect{OmitSearch: true}},
		"adaptive thinking is not supported on this model":                                                                          {OmitThinking: true},
		"thinking: Extra inputs are not permitted":                                                                                  {OmitThinking: true},
		"max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-opus-5-5":                       {},
		"messages.0.content.0.text: Input should be a valid string":                                                                 {},
		"messages: text content blocks must be non-empty":                                                                           {},
		"messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1":                             {},
		"tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12":                              {},
		"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.":  {},
		"messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels.": {},
	} {
		got, _ := learn(Dialect{}, full, strings.ToLower(sentence))
		if got != want {
			t.Errorf("%q\nteaches %+v\nwant    %+v", sentence, got, want)
		}
	}
	plain := llm.Request{Model: full.Model, History: []*history.Content{history.HumanText("hi")}}
	for _, of := range []string{"output_config: unknown", "messages.1.role: Input should be 'user'", "temperature: unknown", "web_search: unknown"} {
		if got, _ := learn(Dialect{}, plain, of); got != (Dialect{}) {
			t.Errorf("%q teaches %+v, and the request has nothing of it", of, got)
		}
	}
}
