import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { watchSources } from '../../../../infra/local/watch.ts'
import { temporaryFolder } from './fixtures.ts'

const root = temporaryFolder()
const inUse = '[watch] The changed sources are in use.'
const problem = '[watch] source.json is broken.\n[watch] The sources from before the change are still in use.'

/** Watches a new folder of JSON files. */
const watchFolder = (name: string) => {
  const folder = join(root, name)
  mkdirSync(folder)
  const source = join(folder, 'source.json')
  writeFileSync(source, '0')
  const files = () => readdirSync(folder).map((file) => join(folder, file))
  const lines: string[] = []
  const contents: string[] = []
  const apply = async () => {
    const texts = files().map((file) => readFileSync(file, 'utf8'))
    if (texts.includes('{')) throw new UserError('source.json is broken.')
    contents.push(texts.join())
  }
  const end = watchSources({ sources: files, apply, writeLine: (line) => lines.push(line) })
  return { folder, source, lines, contents, end }
}

type Save = (source: string, text: string) => void

const replace: Save = (source, text) => {
  writeFileSync(`${root}/${text}`, text)
  renameSync(`${root}/${text}`, source)
}

describe.concurrent('A watch applies each of two saves in a row', () => {
  test.each<[string, Save, readonly string[]]>([
    ['of a file written in place', writeFileSync, [inUse]],
    ['of a file replaced by another one', replace, [inUse]],
    ['that add a file', (source, text) => writeFileSync(`${source}.${text}`, text), [inUse]],
    [
      'that delete a file, and add it again',
      (source, text) => (Number(text) % 2 ? rmSync(source) : writeFileSync(source, text)),
      [inUse],
    ],
    [
      'that break a file, and fix it',
      (source, text) => replace(source, Number(text) % 2 ? '{' : '0'),
      [problem, inUse],
    ],
  ])('%s', async (name, save, expected) => {
    const { source, lines, end } = watchFolder(name)
    for (let count = 1; count <= 2; count += 1) {
      save(source, String(count))
      await expect.poll(() => lines.length).toBe(count * 2)
      expect(lines.at(-2)).toMatch(/source\.json(\.\d)? changed: applying \.\.\.$/)
      expect(lines.at(-1)).toBe(expected[(count - 1) % expected.length])
    }
    end()
  })
})

test('A watch applies changes that come together once', async () => {
  const { source, folder, contents, end } = watchFolder('together')
  for (const text of ['1', '2', '3']) {
    writeFileSync(source, text)
    writeFileSync(join(folder, text), text)
  }
  await expect.poll(() => contents).toEqual(['1,2,3,3'])
  end()
})
