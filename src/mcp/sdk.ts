/**
 * All that is used of the MCP SDK, which the build bundles: it loads all of zod, with error messages in fifty
 * languages, as long as the start of Node itself.
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
