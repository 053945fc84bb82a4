/**
 * All that is used of the MCP SDK. The build bundles it into one file with its dependencies: the SDK loads
 * all of zod, including error messages in fifty languages, which takes as long as the start of Node itself.
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
