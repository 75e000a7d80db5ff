import { expect, it } from 'vitest'
import { examples, readme } from './examples.ts'

it.each([
  ['ts', examples.typescript],
  ['python', examples.python],
  ['sh', examples.curl],
])('the README shows the example in %s as it is run', (language, example) => {
  expect(readme).toContain(`\`\`\`${language}\n${example}\`\`\`\n`)
})
