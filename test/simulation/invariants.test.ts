import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { invariants } from './invariants.ts'

describe('the README', () => {
  it('lists the invariants', () => {
    const text = readFileSync(new URL('README.md', import.meta.url), 'utf8')
    const [, chapter = ''] = text.split('## The invariants')
    // An explanation may follow after a colon.
    const listed = [...chapter.matchAll(/^- ([^:\n]+)/gm)].map(([, name]) => name)

    expect(listed).toEqual(invariants)
  })
})

describe('each invariant', () => {
  it('has tests of its own', () => {
    const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.test.ts'))
    const texts = files.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
    const tested = texts.flatMap((text) => [...text.matchAll(/^describe\('([^']+)'/gm)].map(([, name]) => name))

    expect(tested).toEqual(expect.arrayContaining([...invariants]))
  })
})
