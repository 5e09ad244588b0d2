package settings

// value reads key as a T; ok is false when it is unset.
func value[T any](s *Settings, key string) (v T, ok bool) {
	resolved, _ := s.Get(key)
	v, ok = resolved.v.(T)
	return v, ok
}

// must reads a key that has a default.
func must[T any](s *Settings, key string) T {
	v, _ := value[T](s, key)
	return v
}

func pointer[T any](s *Settings, key string) *T {
	v, ok := value[T](s, key)
	if !ok {
		return nil
	}
	return &v
}

// Model returns the name of the model, "" when unset.
func (s *Settings) Model() string { return must[string](s, KeyModel) }

// BaseURL returns the endpoint's address without a trailing slash, "" when unset.
func (s *Settings) BaseURL() string { return must[string](s, KeyBaseURL) }

// AuthKeyfile returns the path of the key file as the user wrote it, "" when
// unset.
func (s *Settings) AuthKeyfile() string { return must[string](s, KeyAuthKeyfile) }

// ContextLimit returns the size of the context window in tokens; false means
// that the model decides.
func (s *Settings) ContextLimit() (int, bool) { return value[int](s, KeyContextLimit) }

// MaxOutputTokens returns the most tokens of a reply, if set (D-08).
func (s *Settings) MaxOutputTokens() (int, bool) { return value[int](s, KeyMaxOutputTokens) }

// Temperature returns the sampling temperature, nil when it is not to be sent.
func (s *Settings) Temperature() *float64 { return pointer[float64](s, KeyTemperature) }

// TopP returns the nucleus share, nil when it is not to be sent.
func (s *Settings) TopP() *float64 { return pointer[float64](s, KeyTopP) }

// ReasoningEffort returns the effort, "" when it is not to be sent.
func (s *Settings) ReasoningEffort() string { return must[string](s, KeyReasoningEffort) }

// CompressionStrategy returns the name of the active strategy (D-05).
func (s *Settings) CompressionStrategy() string { return must[string](s, KeyCompressionStrategy) }

// CompressionThreshold returns the share of the window at which compression
// starts; false means the strategy's own (D-04, REQ-HD-001.10).
func (s *Settings) CompressionThreshold() (float64, bool) {
	return value[float64](s, KeyCompressionThreshold)
}

// CompressionPreserveThreshold returns the share of entries kept at the tail (D-06).
func (s *Settings) CompressionPreserveThreshold() float64 {
	return must[float64](s, KeyCompressionPreserveThreshold)
}

// CompressionTopPreserveThreshold returns the share of entries kept at the top (D-06).
func (s *Settings) CompressionTopPreserveThreshold() float64 {
	return must[float64](s, KeyCompressionTopPreserveThreshold)
}

// CompressionProfile returns the profile that summarises, "" when unset (D-36).
func (s *Settings) CompressionProfile() string { return must[string](s, KeyCompressionProfile) }

// DensityReadWritePruning implements the accessor of REQ-HD-009.5.
func (s *Settings) DensityReadWritePruning() bool { return must[bool](s, KeyDensityReadWritePruning) }

// DensityFileDedupe implements the accessor of REQ-HD-009.5.
func (s *Settings) DensityFileDedupe() bool { return must[bool](s, KeyDensityFileDedupe) }

// DensityRecencyPruning implements the accessor of REQ-HD-009.5.
func (s *Settings) DensityRecencyPruning() bool { return must[bool](s, KeyDensityRecencyPruning) }

// DensityRecencyRetention implements the accessor of REQ-HD-009.5.
func (s *Settings) DensityRecencyRetention() int { return must[int](s, KeyDensityRecencyRetention) }

// ApprovalMode returns the name of the approval mode.
func (s *Settings) ApprovalMode() string { return must[string](s, KeyApprovalMode) }

// ShellTimeoutSeconds returns how long a command may run.
func (s *Settings) ShellTimeoutSeconds() int { return must[int](s, KeyShellTimeoutSeconds) }

// ToolOutputMaxTokens returns the bound of one tool result.
func (s *Settings) ToolOutputMaxTokens() int { return must[int](s, KeyToolOutputMaxTokens) }

// FileReadMaxLines returns the most lines of one read.
func (s *Settings) FileReadMaxLines() int { return must[int](s, KeyFileReadMaxLines) }

// MaxTurns returns the most model requests for a prompt, -1 for no limit.
func (s *Settings) MaxTurns() int { return must[int](s, KeyMaxTurns) }

// Theme returns the name of the colour theme.
func (s *Settings) Theme() string { return must[string](s, KeyTheme) }

// Prices are what a million tokens cost, in the currency of the user's choice.
type Prices struct{ Input, Output, Cached float64 }

// Prices returns the prices; false when the input or the output price is unset,
// so that no cost can be told. Cached tokens cost as much as others unless set.
func (s *Settings) Prices() (Prices, bool) {
	input, ok1 := value[float64](s, KeyPriceInput)
	output, ok2 := value[float64](s, KeyPriceOutput)
	cached, ok := value[float64](s, KeyPriceCached)
	if !ok {
		cached = input
	}
	return Prices{input, output, cached}, ok1 && ok2
}
