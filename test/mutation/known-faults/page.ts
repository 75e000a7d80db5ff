import type { KnownFault } from './known-fault.ts'

const panels = 'test/unit/infra/reference/page/panel.test.ts'
const looks = 'test/unit/infra/reference/page/looks.test.ts'
const site = 'test/unit/infra/reference/site.test.ts'

/** Faults of the reference page. */
export const page: readonly KnownFault[] = [
  {
    title: 'a double click sends a request twice',
    file: 'infra/reference/page/panel.ts',
    find: 'if (isSending) return',
    replaceBy: '',
    test: panels,
  },
  {
    title: 'a script in a response runs on the page',
    file: 'infra/reference/page/panel.ts',
    find: "findPart(form, 'body').textContent = formatJson",
    replaceBy: "findPart(form, 'body').innerHTML = formatJson",
    test: panels,
  },
  {
    title: 'the page is shown in a frame of another site',
    file: 'infra/reference/security-headers.ts',
    find: '"frame-ancestors \'none\'",',
    replaceBy: '',
    test: 'test/unit/infra/stacks/reference-stack.test.ts',
  },
  {
    title: 'a changed package keeps its URL, and installations of the earlier one break',
    file: 'infra/reference/packages/client-package.ts',
    find: 'return `packages/${hash}/${name}`',
    replaceBy: 'return `packages/${hash.length}/${name}`',
    test: 'test/unit/infra/reference/packages/packages.test.ts',
  },
  {
    title: 'a text of the settings becomes markup of the page',
    file: 'infra/reference/html.ts',
    find: 'return escapeText(String(content))',
    replaceBy: 'return String(content)',
    test: site,
  },
  {
    title: 'a reader with a keyboard does not see where the focus is',
    file: 'infra/reference/page/page.css',
    find: 'outline-offset: -3px;',
    replaceBy: 'outline-offset: 3px;',
    test: looks,
  },
  {
    title: 'a dark system shows a light page',
    file: 'infra/reference/page/page.css',
    find: '@media screen and (prefers-color-scheme: dark) {',
    replaceBy: '@media print and (prefers-color-scheme: dark) {',
    test: looks,
  },
]
