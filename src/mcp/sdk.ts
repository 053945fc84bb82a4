/** All that is used of the MCP SDK. The build bundles it: the SDK loads all of zod, which is slow. */

export type {
  CallToolResult,
  InputRequiredResult,
  JSONRPCMessage,
  McpHttpHandler,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server'
export {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  hostHeaderValidationResponse,
  inputRequired,
  inputResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
