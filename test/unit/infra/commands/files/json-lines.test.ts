import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { formatJsonLine, readJsonLines } from '../../../../../infra/commands/files/json-lines.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

const read = (text: string) => {
  const file = join(createTemporaryFolder(), 'pets.jsonl')
  writeFileSync(file, text)
  return readJsonLines(file)
}

it('a line is read back exactly, and no program sees an end of a line within it', async () => {
  const values = { id: 9_007_199_254_740_993n, name: 'a\nb\u2028c\u2029' }

  const line = formatJsonLine(values)

  expect(line.trimEnd()).not.toMatch(/[\n\u2028\u2029]/)
  expect(await read(`\n${line}`)).toEqual([{ line: 2, values }])
})

it.each([
  { kind: 'CSV', text: 'id,name\n', mistake: 'line 1 is no JSON object.' },
  { kind: 'a JSON array', text: '{"id":5}\n[5]\n', mistake: 'line 2 is no JSON object.' },
  { kind: 'no text', text: ' \n', mistake: 'the file is empty.' },
])('a file with $kind is refused', async ({ text, mistake }) => {
  await expect(read(text)).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining(mistake) })
})

it('a file that does not exist is named once, with what to check', async () => {
  await expect(readJsonLines('/nowhere/backup.jsonl')).rejects.toThrow(
    '/nowhere/backup.jsonl: the file does not exist. Check the path. Nothing is changed.',
  )
})
