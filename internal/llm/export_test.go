package llm

// What tests outside the package need of its inside.
var (
	EncodeRequest = chatCompletions{}.encode
	ResponseText  = responseText
	Arguments     = arguments
	FunctionName  = functionName
)

// Bare is the chat completions of a client without anything around them.
func Bare(c *Client) Provider { return &requester{client: c, format: chatCompletions{c.host()}} }

// BareResponses is the Responses API of a client without anything around it.
func BareResponses(c *Client) Provider { return &requester{client: c, format: responses{c.host()}} }
