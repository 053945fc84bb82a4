/**
 * What is used of the MCP SDK, in one place: the build makes one file of it and everything behind it, for the SDK loads
 * all of zod, fifty languages of error messages among it, which takes as long as Node's own start.
 */

export type {
  CallToolResult,
  InputRequiredResult,
  McpHttpHandler,
  ReadResourceResult,
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
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
