package refusal

import (
	"testing"

	"agent/internal/llm"
)

// TestD50RefusalsForContent checks the kind of content refusals in the style of several servers and
// models.
func TestD50RefusalsForContent(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		body   string
		want   llm.ErrorKind
	}{
		{400, `{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error"}}`, llm.NoImages},
		{400, "{\"error\":{\"message\":\"Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text` at line 1\"}}", llm.NoImages},
		{500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`, llm.NoImages},
		{404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, llm.NoImages},
		{400, `{"object":"error","message":"At most 0 image(s) may be provided in one request.","code":400}`, llm.NoImages},
		{400, `{"error":"Model does not support images. Please use a model that does."}`, llm.NoImages},
		{400, `{"object":"error","message":"/models/x is not a multimodal model","code":400}`, llm.NoImages},
		{400, `{"error":{"message":"messages[0].content must be a string"}}`, llm.NoImages},
		{400, `{"error":{"message":"Could not process image"}}`, llm.NoImages},
		{400, `{"error":{"message":"messages.content.type is invalid, allowed values: ['text']"}}`, llm.NoImages},
		{429, `{"error":{"message":"too many image inputs"}}`, llm.RateLimit},
		{404, `{"error":{"message":"The model llama-3.2-vision does not exist","code":"model_not_found"}}`, llm.ModelNotFound},
		{400, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter"}}`, llm.BadRequest},
		{400, `{"error":{"message":"Content Exists Risk"}}`, llm.BadRequest},
		{403, `{"error":{"message":"Your chosen model requires moderation and your input was flagged for \"violence\"","code":403}}`, llm.BadRequest},
		{403, `{"code":"permission denied","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}`, llm.BadRequest},
		{451, `{"error":"Unavailable For Legal Reasons"}`, llm.BadRequest},
		{400, `{"message":"messages.1: image dimensions exceed max allowed size: 8000 pixels"}`, llm.NoImages},
		{400, `{"error":{"message":"Unable to process input image. Please retry","code":400}}`, llm.NoImages},
		{403, `{"error":{"message":"this key may not use the model"}}`, llm.Auth},
		{400, `{"error":{"message":"max_tokens must be positive"}}`, llm.BadRequest},
		{500, `{"error":{"message":"internal error"}}`, llm.Unavailable},
	} {
		p := Parse([]byte(tc.body))
		p.Status = tc.status
		meaning := p.AsError()
		kind, hint, final := meaning.Kind, meaning.Hint, meaning.Final
		if kind != tc.want || hint == "" || (kind == llm.BadRequest || kind == llm.NoImages) && !final {
			t.Errorf("%d %s: kind %d, hint %q, final %t, want kind %d", tc.status, tc.body, kind, hint, final, tc.want)
		}
	}
}
