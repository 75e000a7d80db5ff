import type { KnownFault } from './known-fault.ts'

const bundles = 'test/unit/infra/bundling/function-bundle.test.ts'
const file = 'infra/bundling/function-bundle.ts'

/** Faults of how a function becomes its bundle. */
export const bundling: readonly KnownFault[] = [
  {
    title: 'a bundle is so large that a cold start takes longer',
    file,
    find: 'minify: true,',
    replaceBy: 'minify: false,',
    test: bundles,
  },
  {
    title: 'a bundle has the credential providers that no function needs',
    file,
    find: "'@aws-sdk/credential-provider-sso',\n",
    replaceBy: '',
    test: bundles,
  },
  {
    title: 'a bundle has the packages that are to be replaced',
    file,
    find: "'@aws-sdk/middleware-endpoint-discovery': replacementModule,",
    replaceBy: '',
    test: bundles,
  },
  {
    title: 'a source map is deployed with its bundle',
    file,
    find: "sourcemap: 'external',",
    replaceBy: "sourcemap: 'inline',",
    test: bundles,
  },
  {
    title: 'a bundle names paths of the machine that built it',
    file,
    find: "outfile: join(repositoryRoot, 'index.js'),",
    replaceBy: "outfile: join(repositoryRoot, 'index.js'),\n    banner: { js: `/* ${repositoryRoot} */` },",
    test: bundles,
  },
  {
    title: 'a bundle is loaded as an ES module and exports no handler',
    file,
    find: '{"type":"commonjs"}',
    replaceBy: '{"type":"module"}',
    test: bundles,
  },
]
