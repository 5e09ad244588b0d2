package mcp

// Logins keeps what logins to servers gave.
type Logins struct{}
