import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const folder = new URL('../../.github/workflows/', import.meta.url)

it('every action of a workflow is pinned by a commit', () => {
  const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'))

  // A local workflow begins with a dot, and has no commit of its own.
  const actions = [...texts.join('\n').matchAll(/uses: ([^.\s]\S+)/g)].map(([, action = '']) => action)

  expect(actions.length).toBeGreaterThan(5)
  for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40}$/)
})
