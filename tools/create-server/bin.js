#!/usr/bin/env node
import { run } from './dist/main.js';

process.exitCode = run(process.argv.slice(2));
