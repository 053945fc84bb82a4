import { defineKey, oneOf, onlyAdds, pathsKey, pathsWithinKey, userOnly } from '../field.ts'

export const workspaceKeys = {
  writable: pathsKey('Further directories that commands may change, such as "~/.cache/pip".', userOnly),
  protected: pathsWithinKey(
    'Paths inside the workspace that commands may not change; "default" stands for the list in docs/workspace.md.',
    onlyAdds,
    'default',
  ),
  on_protected: defineKey(
    'ask: before something protected changes in workspace mode, the approver is asked, once for each protected path and command.',
    () => oneOf('deny', 'ask'),
    'deny',
    userOnly,
  ),
}
