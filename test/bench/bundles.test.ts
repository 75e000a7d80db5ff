import { describe, expect, it } from 'vitest'
import { bytesByOrigin } from './parts/bundles.ts'

describe('the bytes of a bundle', () => {
  it('are counted by package, and by its part where it has parts', () => {
    const contents = new Map([
      ['functions/get-pet/index.ts', 10],
      ['shared/pets/pet-store.ts', 5],
      ['node_modules/@smithy/core/dist-es/submodules/retry/a.js', 3],
      ['node_modules/@smithy/core/dist-es/submodules/retry/b/c.js', 4],
      ['node_modules/@smithy/core/dist-es/index.js', 1],
      ['node_modules/ajv/node_modules/other/index.js', 2],
    ])
    expect(Object.fromEntries(bytesByOrigin(contents))).toEqual({
      'this service': 15,
      '@smithy/core/retry': 7,
      '@smithy/core': 1,
      other: 2,
    })
  })
})
