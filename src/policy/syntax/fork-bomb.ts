import { forEachChild, type SyntaxNode } from 'unbash'

/** Whether a function starts itself in a pipeline or in the background: it doubles. */
export function repeats(node: SyntaxNode, name: string, multiplied: boolean): boolean {
  if (node.type === 'Command' && node.name?.value === name && multiplied) return true
  const many =
    multiplied || node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true)
  let found = false
  forEachChild(node, (child) => {
    found ||= repeats(child, name, many)
  })
  return found
}
