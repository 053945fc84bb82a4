import { forEachChild, type SyntaxNode } from 'unbash'

/** True if a function calls itself in a pipeline or in the background and so multiplies. */
export function multipliesItself(node: SyntaxNode, name: string, multiplied: boolean): boolean {
  if (node.type === 'Command' && node.name?.value === name && multiplied) return true
  const many =
    multiplied || node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true)
  let found = false
  forEachChild(node, (child) => {
    found ||= multipliesItself(child, name, many)
  })
  return found
}
