import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { examples } from './examples.ts'

const readme = readFileSync(new URL('../../../../../infra/reference/clients/README.md', import.meta.url), 'utf8')

it.each([
  ['ts', examples.typescript],
  ['python', examples.python],
  ['sh', examples.curl],
])('the README shows the example in %s as it is run', (language, example) => {
  expect(readme).toContain(`\`\`\`${language}\n${example}\`\`\`\n`)
})
