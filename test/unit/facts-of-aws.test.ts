import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { factsOfAws } from '../facts/facts-of-aws.ts'

it('the facts that are asked are the rows of the first table of test/facts/README.md', () => {
  const [, table = ''] = readFileSync('test/facts/README.md', 'utf8').split(/^## /m)
  const rows = [...table.matchAll(/^\| (.+?) \| .* \|$/gm)].map(([, behaviour = '']) => behaviour)
  const [_head, ...behaviours] = rows.filter((row) => row !== '---')

  expect(behaviours.toSorted()).toEqual(factsOfAws.map(({ behaviour }) => behaviour).toSorted())
})
